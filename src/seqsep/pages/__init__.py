"""Every generated page of docs/."""
