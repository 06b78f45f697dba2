// Windows over channels, depthwise convolutions and pools, become loops over
// strips of channels, whose sums stay in registers over the window.
//
// Expects: linalg on tensors, unit dimensions dropped, channels innermost.
// Result:  loops over rows (lh.rows), strips and pixels (of a step: lh.pixels); in them
//   a strip's start value, loops over the window's points (lh.sum, lh.points says how
//   many), and the elementwise op that follows: all of it in registers, once
//   vectorize-elementwise has vectorized the strips. A start value that is no
//   constant, and what follows the window, were a pass each over the image.
// Parameters: strip, its numbers, half of them, and pixels, of a step
//   (vectorize-elementwise.yaml); known: vectors are of known length. Else strips are 8
//   numbers for each unit of their scale.
// Source:  the transform dialect's tile_using_for, and transform.lh.fuse_into.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
!value = !transform.any_value
module attributes {transform.with_named_sequence} {
  // Of strips.mlir:
  transform.named_sequence private @this(!op {transform.readonly}) -> !op
  transform.named_sequence private @is_nest(!op {transform.readonly},
      !size {transform.readonly})
  transform.named_sequence private @is_safe_masked(!op {transform.readonly})
  transform.named_sequence private @peel(!op {transform.readonly})
  transform.named_sequence private @drop_unit_loops(!op {transform.readonly})

  // Fails on sums of rows, which have the same loops as windows.
  transform.named_sequence @reads_windows(%op: !op {transform.readonly}) {
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %dims:8 = transform.match.structured.classify_convolution_dims %s
          : (!op) -> (!size, !size, !size, !size, !size, !size, !size, !size)
      transform.match.structured.yield
    }
    transform.yield
  }

  // Sums over rows and columns of a window, of so many loops in all.
  transform.named_sequence @is_sum_of_planes(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[except(-2, -1)] {parallel} : !op
      transform.match.structured.dim %s[-2, -1] {reduction} : !op
      transform.match.structured.init %s[0] {projected_permutation} : !op
      transform.match.structured.yield
    }
    transform.yield
  }

  // ... over a window of one row or column.
  transform.named_sequence @is_sum_of_lines(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.include @reads_windows failures(propagate) (%op) : (!op) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[except(-1)] {parallel} : !op
      transform.match.structured.dim %s[-1] {reduction} : !op
      transform.match.structured.init %s[0] {projected_permutation} : !op
      transform.match.structured.yield
    }
    transform.yield
  }

  // Windows over pixels whose channels are innermost: of an image, ...
  transform.named_sequence @is_window(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 5 : i64 -> !size
    transform.include @is_sum_of_planes failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // ... of several images, ...
  transform.named_sequence @is_window_in_batch(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 6 : i64 -> !size
    transform.include @is_sum_of_planes failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.include @reads_windows failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  // ... of one row of pixels, ...
  transform.named_sequence @is_line_window(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @is_sum_of_lines failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // ... and, by windows of one row or column, of rows of an image or several.
  transform.named_sequence @is_window_in_rows(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.include @is_sum_of_lines failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // The last two sizes, a window's rows and columns.
  transform.named_sequence @size_of_window(%op: !op {transform.readonly})
      -> (!size, !size) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %rows, %columns = transform.match.structured failures(propagate) %op
        : (!op) -> (!size, !size) {
    ^bb0(%s: !op):
      %height = transform.match.structured.dim %s[-2] : (!op) -> !size
      %width = transform.match.structured.dim %s[-1] : (!op) -> !size
      transform.match.structured.yield %height, %width : !size, !size
    }
    transform.yield %rows, %columns : !size, !size
  }

  // What follows a window. What masked lanes must not compute stays outside.
  transform.named_sequence @epilogue_of(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.include @reads_windows failures(propagate) (%op) : (!op) -> ()
    %epilogue = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.include @is_safe_masked failures(propagate) (%epilogue) : (!op) -> ()
    transform.yield %epilogue : !op
  }

  // The op that is cut into strips: what follows the window, or the window
  // itself. The second handle is the window's where it isn't the first.
  transform.named_sequence @root_of(%op: !op {transform.readonly}) -> (!op, !op) {
    %epilogue = transform.collect_matching @epilogue_of in %op
        {lh.optional = "nothing may follow"} : (!op) -> !op
    %root, %window = transform.lh.if %epilogue : !op -> !op, !op {
      transform.yield %epilogue, %op : !op, !op
    } else {
      transform.yield %op, %epilogue : !op, !op
    }
    transform.yield %root, %window : !op, !op
  }

  // What computes a window's start values.
  transform.named_sequence @start_of(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %init = transform.match.structured failures(propagate) %op : (!op) -> !value {
    ^bb0(%s: !op):
      %value = transform.match.structured.init %s[0] : (!op) -> !value
      transform.match.structured.yield %value : !value
    }
    %start = transform.get_defining_op %init : (!value) -> !op
    transform.match.operation_name %start ["linalg.generic", "linalg.fill"] : !op
    transform.yield %start : !op
  }

  // A window and its start values into the loops around what follows it.
  transform.named_sequence @fuse_window(%window: !op {transform.consumed},
      %loop: !op {transform.readonly}) {
    transform.foreach %window : !op {
    ^bb0(%op: !op):
      %start = transform.collect_matching @start_of in %op
          {lh.optional = "a start value may be an argument"} : (!op) -> !op
      %tile, %first = transform.lh.fuse_into %op, %start into %loop
          : (!op, !op, !op) -> (!op, !op)
    }
    transform.yield
  }

  // The loop over rows of pixels, and those over a window's rows and columns.
  transform.named_sequence @mark_window(%pixels: !op {transform.readonly},
      %down: !op {transform.readonly}, %rows: !size {transform.readonly},
      %across: !op {transform.readonly}, %columns: !size {transform.readonly}) {
    transform.annotate %pixels "lh.rows" : !op
    transform.annotate %down "lh.sum" : !op
    transform.annotate %down "lh.points" = %rows : !op, !size
    transform.annotate %across "lh.sum" : !op
    transform.annotate %across "lh.points" = %columns : !op, !size
    transform.yield
  }

  // So large that its points stay loops: more than the five of a row or column that
  // vectorize-elementwise unrolls.
  transform.named_sequence @is_wide(%op: !op {transform.readonly}) -> !size {
    %five = transform.param.constant 5 : i64 -> !size
    %rows, %columns = transform.include @size_of_window failures(propagate) (%op)
        : (!op) -> (!size, !size)
    transform.match.param.cmpi gt %columns, %five : !size
    transform.yield %columns : !size
  }

  // Channels that fill more than half of a strip, but no whole one: strips of half are
  // whole ones but for the last. 24 channels (AVX-512), 28 x 28: 3x3 windows 5.9 us,
  // under a mask 13.7; 5x5 16 and 29.
  transform.named_sequence @is_narrow(%op: !op {transform.readonly}) -> !size {
    %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    %strip = transform.param.constant 32 : i64 {lh.bind = {value = "strip"}} -> !size
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %channels = transform.match.structured.dim %s[-3] : (!op) -> !size
      transform.match.param.cmpi gt %channels, %half : !size
      transform.match.param.cmpi lt %channels, %strip : !size
      transform.match.structured.yield
    }
    transform.yield %half : !size
  }

  // A window that is read in the loop, moved there; nothing if there is none.
  transform.named_sequence @bring_window(%window: !op {transform.readonly},
      %loop: !op {transform.readonly}) -> !op {
    %inside = transform.lh.if %window : !op -> !op {
      transform.include @fuse_window failures(propagate) (%window, %loop)
          : (!op, !op) -> ()
      %moved = transform.collect_matching @is_window in %loop : (!op) -> !op
      transform.yield %moved : !op
    } else {
      %none = transform.structured.match ops{["lh.none"]} in %loop : (!op) -> !op
      transform.yield %none : !op
    }
    transform.yield %inside : !op
  }

  // Loops over rows of pixels, strips of channels, pixels, with the window in them.
  // Where it is large, the last one is in one over steps of four pixels, which
  // jam-pixels computes at once.
  transform.named_sequence @cut_known(%root: !op {transform.consumed},
      %window: !op {transform.consumed}, %wide: !size {transform.readonly},
      %strip: !size {transform.readonly}) -> (!op, !op) {
    %image, %strips = transform.lh.if %wide : !size -> !op, !op {
      %step, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 4, %strip] interchange = [0, 2, 1]
          {lh.bind = {static_sizes = [1, "pixels", -1]}}
          : (!op, !size) -> (!op, !op, !op, !op)
      %of_step = transform.include @bring_window failures(propagate)
          (%window, %loops#2) : (!op, !op) -> !op
      %tile, %pixel = transform.structured.tile_using_for %step tile_sizes [0, 1]
          : (!op) -> (!op, !op)
      transform.include @fuse_window failures(propagate) (%of_step, %pixel)
          : (!op, !op) -> ()
      transform.annotate %pixel "lh.pixels" : !op
      transform.yield %loops#0, %loops#1 : !op, !op
    } else {
      %tile, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, %strip] interchange = [0, 2, 1]
          : (!op, !size) -> (!op, !op, !op, !op)
      transform.include @fuse_window failures(propagate) (%window, %loops#2)
          : (!op, !op) -> ()
      transform.yield %loops#0, %loops#1 : !op, !op
    }
    transform.yield %image, %strips : !op, !op
  }

  // By rows, strips of channels, pixels. Scalable strips are under masks: see
  // @cut_rows of vectorize-elementwise.
  transform.named_sequence @cut_image_windows(%module: !op {transform.readonly},
      %strip: !size {transform.readonly}, %known: !flag {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %module
        : (!op) -> !op
    %all_windows, %windows = transform.foreach_match restrict_root in %nests
        @is_window -> @this : (!op) -> (!op, !op)
    transform.foreach %windows : !op {
    ^bb0(%op: !op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!op) -> (!op, !op)
      %narrow = transform.collect_matching @is_narrow in %op
          {lh.optional = "most have more channels"} : (!op) -> !size
      %wide = transform.collect_matching @is_wide in %op
          {lh.optional = "most windows are small"} : (!op) -> !size
      %image, %strips = transform.lh.if %known : !flag -> !op, !op {
        %width = transform.lh.if %narrow : !size -> !size {
          transform.yield %narrow : !size
        } else {
          transform.yield %strip : !size
        }
        %i, %s = transform.include @cut_known failures(propagate)
            (%root, %window, %wide, %width) : (!op, !op, !size, !size) -> (!op, !op)
        transform.yield %i, %s : !op, !op
      } else {
        %tile, %loops:3 = transform.structured.tile_using_for %root
            tile_sizes [1, 1, [8]] interchange = [0, 2, 1]
            : (!op) -> (!op, !op, !op, !op)
        transform.include @fuse_window failures(propagate) (%window, %loops#2)
            : (!op, !op) -> ()
        transform.yield %loops#0, %loops#1 : !op, !op
      }
      %inside = transform.collect_matching @is_window in %image : (!op) -> !op
      %rows, %columns = transform.collect_matching @size_of_window in %inside
          : (!op) -> (!size, !size)
      %point, %points:2 = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 1, 1] : (!op) -> (!op, !op, !op)
      transform.include @mark_window failures(propagate)
          (%image, %points#0, %rows, %points#1, %columns)
          : (!op, !op, !size, !op, !size) -> ()
      transform.lh.if %known : !flag {
        %steps = transform.structured.match ops{["scf.for"]} attributes{lh.pixels}
            in %strips {lh.optional = "most windows are small"} : (!op) -> !op
        %whole = transform.get_parent_op %steps {op_name = "scf.for"} : (!op) -> !op
        transform.include @peel failures(propagate) (%whole) : (!op) -> ()
        transform.include @peel failures(propagate) (%strips) : (!op) -> ()
      }
    }
    transform.yield
  }

  // The same for windows over other loops.
  transform.named_sequence @cut_other_windows(%module: !op {transform.readonly},
      %strip: !size {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %module
        : (!op) -> !op
    %all_lines, %lines = transform.foreach_match restrict_root in %nests
        @is_line_window -> @this : (!op) -> (!op, !op)
    transform.foreach %lines : !op {
    ^bb0(%op: !op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!op) -> (!op, !op)
      %tile, %loops:2 = transform.structured.tile_using_for %root
          tile_sizes [1, %strip] interchange = [1, 0] : (!op, !size) -> (!op, !op, !op)
      transform.include @fuse_window failures(propagate) (%window, %loops#1)
          : (!op, !op) -> ()
      %inside = transform.collect_matching @is_line_window in %loops#0 : (!op) -> !op
      %point, %sum = transform.structured.tile_using_for %inside tile_sizes [0, 0, 1]
          : (!op) -> (!op, !op)
      transform.annotate %sum "lh.sum" : !op
      transform.include @peel failures(propagate) (%loops#0) : (!op) -> ()
    }
    %of_rows = transform.structured.match ops{["linalg.generic"]} in %module
        : (!op) -> !op
    %all_rows, %rows = transform.foreach_match restrict_root in %of_rows
        @is_window_in_rows -> @this : (!op) -> (!op, !op)
    transform.foreach %rows : !op {
    ^bb0(%op: !op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!op) -> (!op, !op)
      %tile, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, %strip] interchange = [0, 2, 1]
          : (!op, !size) -> (!op, !op, !op, !op)
      transform.include @fuse_window failures(propagate) (%window, %loops#2)
          : (!op, !op) -> ()
      %inside = transform.collect_matching @is_window_in_rows in %loops#0 : (!op) -> !op
      %point, %sum = transform.structured.tile_using_for %inside tile_sizes [0, 0, 0, 1]
          : (!op) -> (!op, !op)
      transform.annotate %sum "lh.sum" : !op
      transform.include @peel failures(propagate) (%loops#1) : (!op) -> ()
    }
    %of_batches = transform.structured.match ops{["linalg.generic"]} in %module
        : (!op) -> !op
    %all_batch, %batch = transform.foreach_match restrict_root in %of_batches
        @is_window_in_batch -> @this : (!op) -> (!op, !op)
    transform.foreach %batch : !op {
    ^bb0(%op: !op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!op) -> (!op, !op)
      %tile, %loops:4 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, 1, %strip] interchange = [0, 1, 3, 2]
          : (!op, !size) -> (!op, !op, !op, !op, !op)
      transform.include @fuse_window failures(propagate) (%window, %loops#3)
          : (!op, !op) -> ()
      %inside = transform.collect_matching @is_window_in_batch in %loops#0 : (!op) -> !op
      %height, %width = transform.collect_matching @size_of_window in %inside
          : (!op) -> (!size, !size)
      %point, %points:2 = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 0, 1, 1] : (!op) -> (!op, !op, !op)
      transform.include @mark_window failures(propagate)
          (%loops#0, %points#0, %height, %points#1, %width)
          : (!op, !op, !size, !op, !size) -> ()
      transform.include @peel failures(propagate) (%loops#2) : (!op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @cut_windows(%root: !op {transform.readonly}) {
    %strip = transform.param.constant 32 : i64 {lh.bind = {value = "strip"}} -> !size
    %known = transform.param.constant true {lh.bind = {value = "known"}} -> !flag
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.include @cut_image_windows failures(propagate)
        (%root, %strip, %known) : (!op, !size, !flag) -> ()
    transform.lh.if %known : !flag {
      transform.include @cut_other_windows failures(propagate) (%root, %strip)
          : (!op, !size) -> ()
    }
    transform.include @drop_unit_loops failures(propagate) (%functions) : (!op) -> ()
    transform.yield
  }
}
