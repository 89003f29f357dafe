"""All forgeries, by the type of certificate that they pretend to be."""

from support.certificates.forged_automata import automata
from support.certificates.forged_collisions import collisions
from support.certificates.forged_fooling_sets import fooling
from support.certificates.forged_machines import machines, patterns
from support.certificates.forged_networks import networks
from support.certificates.forged_runs import generated_runs
from support.certificates.forged_tables import distinguishing

FORGERIES = {
    "fooling-set": fooling,
    "distinguishing-table": distinguishing,
    "automaton": automata,
    "state-collision": collisions,
    "network": networks,
    "generated-run": lambda: [*generated_runs(), *machines(), *patterns()],
}
