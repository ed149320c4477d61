"""An attack on a secret column, against exact answers, the usual habits of publishing, and
Hedgerow; and what no attack can exceed.
"""
