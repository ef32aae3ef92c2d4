"""Scaling models: from aligned measurements to normal forms with intervals, and what they predict.

kernels, analysis, bottlenecks           what is modelled, and the whole stage
forms, formulas, hypotheses, options    formulas, which of them are tried, settings
observations, error_model, noise         the data and how far they may be off
fit, fit_context, posterior, regimes     how one parameter is fitted: settings, weights, changes of behaviour
multi_parameter                          two to four parameters
scaling_models, quality                  the result: predictions, formulas, remarks
efficiency, planning, estimator          POP metrics, what to measure next, scikit-learn

A family of models is one function in `hypotheses`; a remark on a model is one line in `quality`.
"""
