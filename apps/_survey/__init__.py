"""The pieces of a data set looked at for the scan of another run, by workers near them: no algorithm to run by hand."""
