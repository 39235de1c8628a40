"""Latent Dirichlet allocation: the topics of documents, each a distribution over words."""
