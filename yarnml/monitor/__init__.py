"""What is seen of a run while it goes on: metrics, progress, and how a terminal shows it."""
