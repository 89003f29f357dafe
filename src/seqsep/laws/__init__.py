"""What every mixer, task and theorem must obey, callable by outside authors."""
