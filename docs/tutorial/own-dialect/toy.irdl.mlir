// Two operations on tensors. One constraint that is used twice is one type:
// what scale_add takes and what it makes have the same.
irdl.dialect @toy {
  irdl.operation @scale_add {
    %tensor = irdl.base "!builtin.tensor"
    %number = irdl.base "#builtin.float"
    irdl.operands(x: %tensor, y: %tensor)
    irdl.results(sum: %tensor)
    irdl.attributes {"scale" = %number}
  }
  irdl.operation @smooth_max {
    %rows = irdl.base "!builtin.tensor"
    %maxima = irdl.base "!builtin.tensor"
    %number = irdl.base "#builtin.float"
    irdl.operands(x: %rows)
    irdl.results(maxima: %maxima)
    irdl.attributes {"sharpness" = %number}
  }
}
