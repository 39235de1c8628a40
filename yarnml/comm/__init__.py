"""What the processes of a run do together: be counted, meet, sum, report, end."""
