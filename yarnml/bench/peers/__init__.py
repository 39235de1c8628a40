"""Peers: what others learn from the same files, one a script, which imports nothing of ours.

`PYTHON SCRIPT FOLDER`, by a Python that has the peer, prints on its last line {"quality": ..., "train": seconds of
training, "after": seconds of judging the model, which don't count}.
"""
