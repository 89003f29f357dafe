"""The report's page: HTML from templates, with its charts as inline SVG.

Next to the files below are the templates (.html) and their styles (.css).

    page             the page, composed of the files below
    curves           validation curves, and ceilings over length
    tables           learning rates, the paper's numbers, settings
    positions        accuracy by tenth of the queried positions
    theorem_table    what was checked, beside the bounds
    ledger_charts    the two figures of the size ledger
    capacity_chart   bytes of models over the length, for `seqsep capacity --compare`
    ledger_picture   docs/separation.svg
    audit_page       what a trained model carries, a page of its own
    audit_record     an audit read back from its JSON
    audit_charts     its charts, and those of docs/audit.svg
    proofs           the theorems' proofs, a page of its own
    is_tree_page     the worked example of IsTree, a page of its own
    is_tree_bits     the size ledger of IsTree
    is_tree_picture  docs/is-tree-separation.svg
    is_tree_example  docs/is-tree-example.svg
    flat_svg         drawings that need no style sheet
    templates        the templates and their filters
"""
