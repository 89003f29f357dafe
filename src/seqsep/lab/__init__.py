"""The lab: a run, its training, sweeps over workers, the store of finished runs."""
