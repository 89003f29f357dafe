"""Automata, and the least states of functions of N tokens.

automata          a DFA as a table, and `Recurrence`: a recurrent model with a counted number of state bits
layered           automata whose table depends on the time step, and the least ones of functions of one length
partial_automata  the least DFA that agrees with given words, found by search
regular           regular expressions as minimal DFAs, by the positions of their symbols
monoids           the syntactic monoid of a DFA's language, and whether it is in the variety DA
multiplication    its products, Green's relations and maximal groups
groups            finite groups: derived length, and a witness that one is not solvable
point_actions     the fewest points that a finite group permutes faithfully
permutations      finite groups by name, as permutations, and the products of exactly K letters
identities        the classes of a language by its monoid, each with a witness
witnesses         words with equations that show that a language is outside of a class
separation        membership in C-RASP, by counting letters on the walks of each component
learned           the automaton of a function, from its answers on short words
registers         a memory whose bits are counted
enumeration       every answer of a function as one array
exact_lengths     the least state for a regular language on words of exactly N letters
least_state       the least state of a function that is defined on every input, with a witness
partial_states    lower and upper bounds if some inputs have no answer
diagrams          the least state of a Boolean formula too long to enumerate, by decision diagrams
growth            how the least state grows with N: constant, logarithmic or linear
closed_form       a closed form of the number of classes over N, as a fit
_pattern          the syntax of regular expressions, its sizes bounded
_refinement       partition refinement by Moore's and Hopcroft's algorithms
"""
