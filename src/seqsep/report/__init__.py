"""The report: measurements as figures, tables and one offline page.

Measured numbers as data:

    formatting           numbers as a reader sees them
    sized_model          an architecture at a size: how it is named and placed in tables
    styles               the colour and marker of each architecture, and of those that have none of their own
    measured             one training run, and which of two is the better
    demo_runs            the runs of the demo, and the one that represents a model
    named_layers         labels that a reader gives to models by their layers
    comparison           fresh rows and committed ones of the same runs
    plain_table          a table of texts, as the page shows it
    result_table         an experiment's cells by model and task, and its columns
    experiment_table     from rows to the table of each experiment
    any_task             the runs of any task and any layers: table, curve and heat map
    swept                the settings that differ among runs, and the accuracy over them
    reach                the length up to which each architecture has 99 %
    used_bits            the bits of its state that a model is shown to use
    captions             the captions of an experiment's figures
    demo_heatmap         what the demo's heat map shows
    limited_state        trained models with a state that is too small
    headline             the numbers at the head of the page
    index_lookup_ledger  parameter bits of the Transformer beside the least recurrent state, over N
    is_tree_ledger       the sizes of models of IsTree beside the least recurrent state, over n
    worked_networks      five networks of IsTree in words: what each does, and what each head looks for
    worked_example       what they write about one graph, token by token, and what each head attends to
    is_tree_table        what models of the experiment `is-tree` write, with their sizes
    text_curves          accuracy over length of language models that answered in words
    attention_weights    the weights of every head of a hand-built network on one input
    bibliography         the papers as BibTeX
    ticks                round ticks, and labels that do not collide

From data to files:

    figures              drawings by matplotlib
    page                 the page in HTML, its charts in SVG
    card                 a layer's card as a picture and a page
    table_files          an experiment's cells as CSV and LaTeX
    figure_files         an experiment's figures and tables as files
    is_tree_files        the experiment `is-tree` as files
    write                the way from rows to the whole report
"""
