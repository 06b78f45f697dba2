// The two 16-bit float formats as bit patterns.
#ifndef LH_NUMERICS_HALF_H
#define LH_NUMERICS_HALF_H

#include <cstdint>

namespace lh {

/// IEEE binary16 and bfloat16 to float: exact. NaNs keep their sign.
float halfToFloat(uint16_t bits);
float bfloat16ToFloat(uint16_t bits);

/// Rounds once, to nearest even, with subnormals; overflow gives infinity and
/// NaN stays a (quiet) NaN. A float argument converts to double exactly, so
/// these serve both.
uint16_t doubleToHalf(double value);
uint16_t doubleToBFloat16(double value);

} // namespace lh

#endif // LH_NUMERICS_HALF_H
