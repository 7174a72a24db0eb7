"""The large-sample variance of kappa, which tests hold the project's own errors against."""

from judges.stats.agreement import check_table, disagreement_weights, kappa


def fleiss_cohen_everitt(table, weights=None):
    """Variance of kappa for INDEPENDENT cells: a check, and right only where every item has one cell.

        var = {sum P_ij [W_ij - (wbar_i + wbar_j)(1 - kappa)]^2 - [kappa - p_e (1 - kappa)]^2} / (n (1 - p_e)^2)

    with P = C / n of counts, W = 1 - D / max(D), wbar_i = sum_j c_j W_ij, wbar_j = sum_i r_i W_ij (margins as shares),
    p_e = sum(r_i c_j W_ij). None when kappa is undefined. Source: Fleiss, Cohen and Everitt 1969.
    """
    array = check_table(table)
    point = kappa(array, weights)
    if point is None:
        return None
    n, cost = float(array.sum()), disagreement_weights(len(array), weights)
    share, credit = array / n, 1 - cost / cost.max()
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    by_chance = float(rows @ credit @ columns)
    mean_credit = (credit @ columns)[:, None] + (rows @ credit)[None, :]
    spread = float((share * (credit - mean_credit * (1 - point)) ** 2).sum()) - (point - by_chance * (1 - point)) ** 2
    return max(0.0, spread) / (n * (1 - by_chance) ** 2)
