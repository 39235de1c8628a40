"""Messages, their frames, and the transports that carry them between the processes of a run."""
