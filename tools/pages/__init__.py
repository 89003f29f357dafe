"""Every generated file, most of them pages of docs/, in one go: `make pages`.

A test holds each committed page against what is generated. Files:

    write         all pages, each whole or not at all
    errata        docs/reference/errata.md: the errors found in the papers, with their severity
    _severities   the severity of each erratum, and what it says in one line
    papers        the papers: statements in their order, each with its verdict
    _paper_statements  the statements of two papers in our words
    theorems      docs/reference/theorems/index.md: the statements of each paper, with the theorem that runs each
    theorem_page  docs/reference/theorems/NAME.md: statement, check, proof, errata and files of a theorem
    _size_words   the meaning of the sizes in the output of a check
    commands      docs/reference/commands/: a page for each command, from its parser
    _console      the outputs of shell commands on pages
    python_api    docs/reference/python/: the public functions and classes
    _members      their signatures, parameters, errors and examples, from the source
    _docstrings   docstrings as Markdown
    _outputs      the outputs of commands on pages
    _glossary     links to the glossary
    members       docs/reference/tasks.md and docs/reference/mixers.md: every task, every mixer
    _mixer_speeds  the section on the speed of layers that track a state
    reproduction_index  docs/reproduction/index.md: a verdict for each claim of the papers
    _curriculum   the table of a guide: what a curriculum gains
    _claims       evidence.json, what the committed rows show of the claims
    experiments   docs/reproduction/NAME.md, .svg and .csv: a page of each experiment, its picture and its rows
    _experiment_page    the parts of a page and their order
    _experiment_rows    their set-up, tables, CSV, cost and claims
    _experiment_figure  their pictures, and docs/state-bits.svg
    _experiment_notes   their sentences on causes that rows test
    _language_classes  the page of the experiment `language-classes`
    _places       the page on symbols that a state holds
    languages     docs/reference/languages.md: regular languages against architectures
    capacity      docs/reference/capacity.md: what published models keep between tokens
    _model_types  its section on the types of models that are read
    _one_layer    its section on one layer of each model
    _other_calculators  its section on what other calculators print
    audit         docs/reference/audit.md and docs/audit.svg: what trained models store, need and carry
    cards         docs/reference/cards.md and docs/reference/cards/: the committed cards of built-in mixers
    model_laws    docs/reference/model-laws.md: in which models of others the laws of state hold
    _serving_laws  its section on the laws of serving, in two releases
    _released_bugs  its section on bugs of released versions
    _reach_picture  docs/reach.svg: each architecture on index lookup, with its seeds
    _explanation_pictures  the pictures of docs/explanation/
    _markdown     tables
    __main__      python -m pages
"""

from pages.write import PAGES, write_pages

__all__ = ["PAGES", "write_pages"]
