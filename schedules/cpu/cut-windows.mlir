// Windows over channels, depthwise convolutions and pools, become loops over
// strips of channels, whose sums stay in registers over the window.
//
// Expects: linalg on tensors, unit dimensions dropped, channels innermost; what
//   follows windows found by lh-mark-epilogues.
// Leaves:  loops over rows (lh.rows), strips and pixels; in them a strip's start
//   value, loops over the window's points (lh.sum, lh.points says how many), and
//   the elementwise op that follows: all of it in registers, once
//   vectorize-elementwise has vectorized the strips. A start value that is no
//   constant, and what follows the window, were a pass each over the image.
// Parameters: vector_bits chooses the strip, as in vectorize-elementwise;
//   scalable: strips are 8 numbers for each unit of the vectors' scale.
// Source:  the transform dialect's tile_using_for and fuse_into_containing_op.
module attributes {transform.with_named_sequence} {
  // Of strips.mlir:
  transform.named_sequence private @strip_of_vectors(
      !transform.any_op {transform.readonly}) -> !transform.param<i64>
  transform.named_sequence private @has_scalable_vectors(
      !transform.any_op {transform.readonly}) -> !transform.any_op
  transform.named_sequence private @is_safe_masked(
      !transform.any_op {transform.readonly})
  transform.named_sequence private @peel(!transform.any_op {transform.readonly})
  transform.named_sequence private @drop_unit_loops(
      !transform.any_op {transform.readonly})

  transform.named_sequence @has_known_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["func.func"] : !transform.any_op
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %no = transform.param.constant false -> !transform.param<i1>
    transform.match.param.cmpi eq %scalable, %no : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // Windows over pixels whose channels are innermost: pools, and depthwise
  // convolutions.
  transform.named_sequence @is_window(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.dim %s[0, 1, 2] {parallel} : !transform.any_op
      transform.match.structured.dim %s[3, 4] {reduction} : !transform.any_op
      transform.match.structured.init %s[0] {projected_permutation}
          : !transform.any_op
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // The same over one row of pixels.
  transform.named_sequence @is_line_window(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.dim %s[0, 1] {parallel} : !transform.any_op
      transform.match.structured.dim %s[2] {reduction} : !transform.any_op
      transform.match.structured.init %s[0] {projected_permutation}
          : !transform.any_op
      // A sum of rows has these loops, too.
      %dims:8 = transform.match.structured.classify_convolution_dims %s
          : (!transform.any_op)
          -> (!transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>)
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // ... over rows, of an image or several, by windows of one row or column.
  transform.named_sequence @is_window_in_rows(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.dim %s[0, 1, 2] {parallel} : !transform.any_op
      transform.match.structured.dim %s[3] {reduction} : !transform.any_op
      transform.match.structured.init %s[0] {projected_permutation}
          : !transform.any_op
      // A sum of rows has these loops, too.
      %dims:8 = transform.match.structured.classify_convolution_dims %s
          : (!transform.any_op)
          -> (!transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>)
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // ... over several images.
  transform.named_sequence @is_window_in_batch(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 6 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.dim %s[0, 1, 2, 3] {parallel} : !transform.any_op
      transform.match.structured.dim %s[4, 5] {reduction} : !transform.any_op
      transform.match.structured.init %s[0] {projected_permutation}
          : !transform.any_op
      // A sum of rows has these loops, too.
      %dims:8 = transform.match.structured.classify_convolution_dims %s
          : (!transform.any_op)
          -> (!transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>,
              !transform.param<i64>, !transform.param<i64>)
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Rows and columns of a window over pixels.
  transform.named_sequence @size_of_window(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.param<i64>, !transform.param<i64>) {
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %rows, %columns = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>) {
    ^bb0(%s: !transform.any_op):
      %height = transform.match.structured.dim %s[-2]
          : (!transform.any_op) -> !transform.param<i64>
      %width = transform.match.structured.dim %s[-1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.structured.yield %height, %width
          : !transform.param<i64>, !transform.param<i64>
    }
    transform.yield %rows, %columns
        : !transform.param<i64>, !transform.param<i64>
  }

  // The loop over rows of pixels, and those over a window's rows and columns.
  transform.named_sequence @mark_window(
      %pixels: !transform.any_op {transform.readonly},
      %down: !transform.any_op {transform.readonly},
      %rows: !transform.param<i64> {transform.readonly},
      %across: !transform.any_op {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    transform.annotate %pixels "lh.rows" : !transform.any_op
    transform.annotate %down "lh.sum" : !transform.any_op
    transform.annotate %down "lh.points" = %rows
        : !transform.any_op, !transform.param<i64>
    transform.annotate %across "lh.sum" : !transform.any_op
    transform.annotate %across "lh.points" = %columns
        : !transform.any_op, !transform.param<i64>
    transform.yield
  }

  // What masked lanes must not compute stays outside.
  transform.named_sequence @is_safe_epilogue(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    transform.yield %op : !transform.any_op
  }

  // The op that is cut into strips: what follows the window, or the window
  // itself. The second handle is the window's where it isn't the first.
  transform.named_sequence @root_of(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.any_op) {
    %followed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.has_epilogue} in %op
        {lh.optional = "nothing may follow"}
        : (!transform.any_op) -> !transform.any_op
    %marked = transform.foreach %followed
        : !transform.any_op -> !transform.any_op {
    ^bb0(%it: !transform.any_op):
      %user = transform.get_consumers_of_result %it[0]
          : (!transform.any_op) -> !transform.any_op
      transform.yield %user : !transform.any_op
    }
    %epilogue = transform.collect_matching @is_safe_epilogue in %marked
        : (!transform.any_op) -> !transform.any_op
    %both = transform.merge_handles %epilogue, %op : !transform.any_op
    %root, %window = transform.split_handle %both
        {fail_on_payload_too_small = false}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield %root, %window : !transform.any_op, !transform.any_op
  }

  // Start values come second or, behind a window's shape or filters, third.
  transform.named_sequence @start_behind_one(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %inputs = transform.match.structured.num_inputs %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %inputs, %one : !transform.param<i64>
      transform.match.structured.yield
    }
    %start = transform.get_producer_of_operand %op[1]
        : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %start ["linalg.generic", "linalg.fill"]
        : !transform.any_op
    transform.yield %start : !transform.any_op
  }

  transform.named_sequence @start_behind_two(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %two = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %inputs = transform.match.structured.num_inputs %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %inputs, %two : !transform.param<i64>
      transform.match.structured.yield
    }
    %start = transform.get_producer_of_operand %op[2]
        : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %start ["linalg.generic", "linalg.fill"]
        : !transform.any_op
    transform.yield %start : !transform.any_op
  }

  // A window and its start values into the loops around what follows it.
  transform.named_sequence @fuse_window(
      %window: !transform.any_op {transform.consumed},
      %loop: !transform.any_op {transform.readonly}) {
    transform.foreach %window : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %one = transform.collect_matching @start_behind_one in %op
          : (!transform.any_op) -> !transform.any_op
      %two = transform.collect_matching @start_behind_two in %op
          : (!transform.any_op) -> !transform.any_op
      %start = transform.merge_handles %one, %two : !transform.any_op
      %tile, %around = transform.structured.fuse_into_containing_op %op
          into %loop : (!transform.any_op, !transform.any_op)
          -> (!transform.any_op, !transform.any_op)
      %first, %again = transform.structured.fuse_into_containing_op %start
          into %around : (!transform.any_op, !transform.any_op)
          -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }

  transform.named_sequence @peel_strips(
      %strips: !transform.any_op {transform.readonly}) {
    transform.sequence %strips : !transform.any_op failures(suppress)
        attributes {lh.optional = "a whole number of strips"} {
    ^bb1(%loop: !transform.any_op):
      transform.include @peel failures(propagate) (%loop)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // By rows, strips of channels, pixels.
  transform.named_sequence @cut_image_windows(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %windows = transform.collect_matching @is_window in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %windows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, %strip] interchange = [0, 2, 1]
          : (!transform.any_op, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @fuse_window failures(propagate)
          (%window, %loops#2) : (!transform.any_op, !transform.any_op) -> ()
      %inside = transform.collect_matching @is_window in %loops#0
          : (!transform.any_op) -> !transform.any_op
      %rows, %columns = transform.collect_matching @size_of_window in %inside
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>)
      %point, %window_loops:2 = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 1, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @mark_window failures(propagate)
          (%loops#0, %window_loops#0, %rows, %window_loops#1, %columns)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>,
             !transform.any_op, !transform.param<i64>) -> ()
      transform.include @peel_strips failures(propagate) (%loops#1)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // The same for windows over other loops.
  transform.named_sequence @cut_line_windows(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %windows = transform.collect_matching @is_line_window in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %windows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile, %loops:2 = transform.structured.tile_using_for %root
          tile_sizes [1, %strip] interchange = [1, 0]
          : (!transform.any_op, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @fuse_window failures(propagate)
          (%window, %loops#1) : (!transform.any_op, !transform.any_op) -> ()
      %inside = transform.collect_matching @is_line_window in %loops#0
          : (!transform.any_op) -> !transform.any_op
      %point, %window_loops = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op)
      transform.annotate %window_loops "lh.sum" : !transform.any_op
      transform.include @peel_strips failures(propagate) (%loops#0)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // ...
  transform.named_sequence @cut_windows_in_rows(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %windows = transform.collect_matching @is_window_in_rows in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %windows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, %strip] interchange = [0, 2, 1]
          : (!transform.any_op, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @fuse_window failures(propagate)
          (%window, %loops#2) : (!transform.any_op, !transform.any_op) -> ()
      %inside = transform.collect_matching @is_window_in_rows in %loops#0
          : (!transform.any_op) -> !transform.any_op
      %point, %window_loops = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op)
      transform.annotate %window_loops "lh.sum" : !transform.any_op
      transform.include @peel_strips failures(propagate) (%loops#1)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // ...
  transform.named_sequence @cut_windows_in_batch(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %windows = transform.collect_matching @is_window_in_batch in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %windows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile, %loops:4 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, 1, %strip] interchange = [0, 1, 3, 2]
          : (!transform.any_op, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @fuse_window failures(propagate)
          (%window, %loops#3) : (!transform.any_op, !transform.any_op) -> ()
      %inside = transform.collect_matching @is_window_in_batch in %loops#0
          : (!transform.any_op) -> !transform.any_op
      %rows, %columns = transform.collect_matching @size_of_window in %inside
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>)
      %point, %window_loops:2 = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 0, 1, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @mark_window failures(propagate)
          (%loops#0, %window_loops#0, %rows, %window_loops#1, %columns)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>,
             !transform.any_op, !transform.param<i64>) -> ()
      transform.include @peel_strips failures(propagate) (%loops#2)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // Under masks: see @cut_scalable_strip of vectorize-elementwise.
  transform.named_sequence @cut_scalable_windows(
      %functions: !transform.any_op {transform.readonly}) {
    %windows = transform.collect_matching @is_window in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %windows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %root, %window = transform.include @root_of failures(propagate) (%op)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %tile, %loops:3 = transform.structured.tile_using_for %root
          tile_sizes [1, 1, [8]] interchange = [0, 2, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @fuse_window failures(propagate)
          (%window, %loops#2) : (!transform.any_op, !transform.any_op) -> ()
      %inside = transform.collect_matching @is_window in %loops#0
          : (!transform.any_op) -> !transform.any_op
      %rows, %columns = transform.collect_matching @size_of_window in %inside
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>)
      %point, %window_loops:2 = transform.structured.tile_using_for %inside
          tile_sizes [0, 0, 0, 1, 1]
          : (!transform.any_op)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.include @mark_window failures(propagate)
          (%loops#0, %window_loops#0, %rows, %window_loops#1, %columns)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>,
             !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.yield
  }

  transform.named_sequence @cut_windows(
      %root: !transform.any_op {transform.readonly}) {
    %strip = transform.include @strip_of_vectors failures(propagate) (%root)
        : (!transform.any_op) -> !transform.param<i64>
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %known = transform.collect_matching @has_known_vectors in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.include @cut_image_windows failures(propagate) (%known, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.include @cut_line_windows failures(propagate) (%known, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.include @cut_windows_in_rows failures(propagate) (%known, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.include @cut_windows_in_batch failures(propagate) (%known, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    %able = transform.collect_matching @has_scalable_vectors in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.include @cut_scalable_windows failures(propagate) (%able)
        : (!transform.any_op) -> ()
    transform.include @drop_unit_loops failures(propagate) (%functions)
        : (!transform.any_op) -> ()
    transform.yield
  }
}
