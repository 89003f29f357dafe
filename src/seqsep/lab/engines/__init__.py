"""The engines: where runs execute, on workers of this machine or of a cluster.

Files:

    engine          what a sweep asks of an engine, and the events that it hears
    job             what an engine is given to do: a run to train, or a plug-in to try the laws on
    local           the engine `local`: a supervisor of worker processes on this machine
    process         one of these processes, as the supervisor holds it
    marked          what a run on it has started, to be ended with it
    worker          the process that trains: messages in, messages out
    messages        what such a process says: read without waiting, and taken on trust in nothing
    validation      the validation of plug-ins before they are trained: load, build and try the laws
    watch           what a plug-in must leave alone while it trains
    ray             the engine `ray`: actors on the nodes of a Ray cluster
    ray_worker      the actor, which drives one training process on its node
    ray_connection  the connection to a Ray cluster, or to a Ray started on this machine
"""
