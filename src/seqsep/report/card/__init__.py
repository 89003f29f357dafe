"""A layer's card as a picture and as a page.

Files:
    picture      the ladders as a picture, with the cards of other layers behind in grey
    page         one page of HTML that loads nothing from elsewhere
    model_page   the same for a published model
"""
