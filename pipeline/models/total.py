"""The model of a sum: the kernels' models added term by term."""

from pipeline.models.normal_form import Term
from pipeline.models.scaling_models import ScalingModels


def sum_of_terms(models: ScalingModels) -> tuple[float, list[tuple[float, Term]]]:
    """Add the chosen models of all kernels, as paper 001 makes the model of ``main``.

    Returns:
        The constant, and the coefficient of every term that occurs, fastest growth first.
    """
    coefficients = dict.fromkeys(models.terms, 0.0)
    for kernel in range(len(models)):
        for coefficient, term in models.weighted_terms(kernel):
            coefficients[term] += coefficient
    terms = [(coefficient, term) for term, coefficient in coefficients.items() if coefficient != 0.0]
    return float(models.coefficients[:, 0, 0].sum()), sorted(terms, key=lambda item: item[1], reverse=True)
