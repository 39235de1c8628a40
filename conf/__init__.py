"""Example files for `--config`, with every flag they set explained."""
