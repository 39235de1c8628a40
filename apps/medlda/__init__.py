"""Max-margin supervised topics (MedLDA): topics of documents that tell their classes apart."""
