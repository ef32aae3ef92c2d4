"""Scaling models: from aligned measurements to normal forms with intervals, and what they foretell.

kernels, analysis, bottlenecks, total    what is modelled, and the whole stage
normal_form, exponents, options, notes   hypotheses and settings
sample, context, evidence, weighed         how one parameter is fitted: errors, settings, weights
several                                  two to four parameters
scaling_models, prediction, intervals    the result, and what it predicts
regimes, search_space                    changes of behaviour, and spaces that follow the data
efficiency, advice, estimator            POP metrics, what to measure next, scikit-learn
"""
