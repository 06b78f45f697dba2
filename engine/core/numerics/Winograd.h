// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much Winograd convolution adds to rounding errors.
#ifndef LH_CORE_NUMERICS_WINOGRAD_H
#define LH_CORE_NUMERICS_WINOGRAD_H

namespace lh {

/// The factor by which F(m x m, r x r) is expected to enlarge the error of a
/// direct convolution, relative to the largest |input||filter| sum. The
/// transforms are Toom-Cook's for the points 0, 1, -1, 2, -2, 1/2, -1/2, ...
/// and infinity (Lavin and Gray 2015, arXiv 1509.09308, for F(2,3) and F(4,3));
/// roundings are taken as independent, as in Barabasz et al. 2020 (arXiv
/// 1803.10986), section 4: per dimension the largest
///   sqrt(sum_j A_ij^2 |G_j|^2 |B_j|^2 / r)
/// over the rows i of the output transform. Asserts m, r >= 1 and m + r <= 12.
double winogradGrowth(int m, int r);

} // namespace lh

#endif // LH_CORE_NUMERICS_WINOGRAD_H
