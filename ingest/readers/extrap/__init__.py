"""Readers of the input formats of Extra-P: each file here is one format but for the JSON values they share.

text         PARAMETER, POINTS, REGION, METRIC, DATA
json_format  one JSON document
json_lines   one JSON object per line, and the Talpas format
json_values  values taken from JSON, checked
experiment   Extra-P 4 experiment files
"""
