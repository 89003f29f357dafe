"""Figures drawn by matplotlib: for print, for the README, and for the page's section of experiments.

Each file is one picture, except the first five, which the others share.

    line_styles     the line style of each row of one figure
    sheet           a figure with its title, legend and caption
    text_width      how wide a text is, and the lines in which it fits
    picture_file    a figure as a file
    chart           a chart of lines or points with direct labels
    chart_picture   charts with a title and a caption, and inline charts of the page
    heatmap         the heatmap that every picture draws
    results         an experiment's heatmap with accuracy over learning rates
    panels          accuracy over steps, and over bits of state
    swept_picture   accuracy over one or two swept settings
    used_bits       the bits of each state that are shown to be used
    picture         the README's picture of the demo
    reach_picture   index lookup by architecture and length, with seeds
    is_tree_bars    the experiment `is-tree`, a panel a trace
    is_tree_states  the same over bits of state
    least_state     the picture of `seqsep analyze`
    automaton_picture  the picture of a regular language's smallest automaton
"""
