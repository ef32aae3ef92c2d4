"""Scaling models: from aligned measurements to normal forms with intervals, and what they predict.

kernels, metrics, kernel_locations       what is modelled
forms, formulas                          factors, terms and how they are written: another kind is one row
search_space, options                    which hypotheses are tried, settings
observations                             the data and how far they may be off
fit                                      the entry; measured range; Extra-P's method
one_parameter, posterior                 how one parameter is fitted: settings, weights, changes of behaviour
multi_parameter                          two to four parameters
scaling_models, rivals, quality          the result: predictions, plausible models, remarks
trend, back_test, total                  what counts beyond the measured range, and one total for all levels
agreeing_formulas                        formulas of what is predicted
estimator                                scikit-learn

A family of models is one function in `search_space`; a remark on a model is one line in `quality`.
"""
