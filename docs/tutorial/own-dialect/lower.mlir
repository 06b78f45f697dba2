// scale_add, element by element: operations without regions, which PDL makes.
pdl.pattern @scale_add : benefit(1) {
  %type = pdl.type
  %f32 = pdl.type : f32
  %scale = pdl.attribute : %f32
  %x = pdl.operand : %type
  %y = pdl.operand : %type
  %op = pdl.operation "toy.scale_add"(%x, %y : !pdl.value, !pdl.value) {"scale" = %scale} -> (%type : !pdl.type)
  pdl.rewrite %op {
    %constant = pdl.operation "arith.constant" {"value" = %scale} -> (%f32 : !pdl.type)
    %number = pdl.result 0 of %constant
    %splat = pdl.operation "tensor.splat"(%number : !pdl.value) -> (%type : !pdl.type)
    %factor = pdl.result 0 of %splat
    %product = pdl.operation "arith.mulf"(%x, %factor : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    %scaled = pdl.result 0 of %product
    %sum = pdl.operation "arith.addf"(%scaled, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %op with %sum
  }
}

// smooth_max, by a function of its name: log(sum(exp(s (x - m)))) / s + m with
// the rows' maxima m. Sizes are open, and linalg's regions are no matter.
func.func @"toy.smooth_max"(%x: tensor<?x?xf32>, %s: f32 {lh.attribute = "sharpness"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows) : tensor<?xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce {arith.maximumf} ins(%x : tensor<?x?xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%none : tensor<?xf32>) {
  ^bb0(%element: f32, %m: f32, %so_far: f32):
    %below = arith.subf %element, %m : f32
    %sharp = arith.mulf %below, %s : f32
    %exp = math.exp %sharp : f32
    %next = arith.addf %so_far, %exp : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
      iterator_types = ["parallel"]}
      ins(%sum, %max : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%total: f32, %m: f32, %unused: f32):
    %log = math.log %total : f32
    %flat = arith.divf %log, %s : f32
    %smooth = arith.addf %flat, %m : f32
    linalg.yield %smooth : f32
  } -> tensor<?xf32>
  return %result : tensor<?xf32>
}
