"""The apps that come with yarnml: one folder an algorithm, registered nowhere."""
