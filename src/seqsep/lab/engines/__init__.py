"""Where runs execute: workers of this machine, or of a cluster."""
