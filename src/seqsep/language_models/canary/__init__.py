"""Canaries in folders, and the questions that they put to an engine.

Files:

    folder  write a canary as a folder that stock libraries load
"""
