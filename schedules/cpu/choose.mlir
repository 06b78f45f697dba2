// Which strategy computes each product and each convolution: the whole choice.
//
// Expects: linalg on tensors. In front of pack-words, winograd and gather-windows
//   convolutions with channels last; in front of pack-contractions elementwise
//   chains fused.
// Result:  lh.choice on each op that a rule below takes, a #dlti.map of "strategy"
//   and "rule", the rule's name here. A strategy takes the ops that name it. Words,
//   winograd and gather take it off those that they can't compute; what other
//   strategies can't is left to plain loops, and a remark names it.
//
//   strategy  computes                                    taken by
//   unpack    few rows, weights of a few bits             unpack-weights
//   words     products of bytes or bf16, packed in words  pack-words
//   winograd  3x3 convolutions                            winograd
//   lanes     convolutions of groups of few filters       gather-windows,
//                                                         vectorize-elementwise
//   gather    convolutions as products                    gather-windows
//   outer     outer products (SME)                        pack-contractions
//   amx       panels, and tiles of AMX, for words         pack-, tile-contractions
//   tile      panels and register tiles                   pack-, tile-contractions
//   thin      few rows, B where it lies                   thin-contractions
//   dot       few columns, vectors along the sum          dot-contractions
//   kernel    a kernel's products, a tile in each call    micro-kernels
//   plain     what has no strategy of its own: small products in registers
//             (finish-contractions), others as any op (vectorize-elementwise)
//
//   A choice that was measured (tuned files) comes before the rules. One that is
//   there is kept, whatever they say: who has rules of his own sets it in front, with numbers of the strategy beside it if he likes ("rows" and
//   "block" of tile: the register tile's rows, the columns in a block of B).
//   Each bubble named above begins with this one, for what has no choice yet, so that
//   the choice is made in two places. Words, winograd and gather make other ops of
//   theirs, which have no choice: the products that they leave are chosen anew, by
//   the rules for products, in front of pack-contractions. From there on a choice
//   stays on what its op becomes, until that is vectors.
// Parameters: bounds of the rules; choose.yaml says what each was measured on, and
//   sets those of strategies that don't come next out of reach. outer_products, panels:
//   whether they come next.
// Source:  none.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
!choice = !transform.any_param
#matrices = ["mnk", "bmnk", "mmnk", "nmnk"]
module attributes {transform.with_named_sequence} {
  // Of strategies.mlir:
  transform.named_sequence private @can_kernel(!op {transform.readonly})

  transform.named_sequence @choose(%root: !op {transform.readonly}) {
    transform.include @tuned failures(propagate) (%root) : (!op) -> ()
    %ops = transform.structured.match interface{LinalgOp} in %root : (!op) -> !op
    // What fits; what is done. The first line that fits holds.
    %chosen = transform.foreach_match restrict_root in %ops
        @is_chosen            -> @keep,
        @sums_nothing         -> @keep,
        @kernel               -> @set,
        @kernel_alone         -> @keep,
        @rows_of_bits         -> @set,
        @bytes                -> @set,
        @bytes_in_windows     -> @set,
        @halves               -> @set,
        @large_3x3            -> @set,
        @cached_3x3           -> @set,
        @few_filters          -> @set,
        @windows              -> @set,
        @few_rows             -> @set,
        @few_columns          -> @set,
        @outer                -> @set,
        @shortest_words       -> @set,
        @short_words          -> @set,
        @long_words           -> @set,
        @longest_words        -> @set,
        @packs_later          -> @keep,
        @words                -> @set,
        @one_half             -> @set,
        @three_halves         -> @set,
        @five_halves          -> @set,
        @few_rows_of_varying  -> @set,
        @varying              -> @set,
        @even_rows            -> @set,
        @many_columns         -> @set,
        @any_product          -> @set : (!op) -> !op
    transform.yield
  }

  // What was measured: lh-run puts it in the place of this (docs/tuning.md).
  transform.named_sequence @tuned(%root: !op {transform.readonly}) {
    transform.yield
  }

  transform.named_sequence @set(%op: !op {transform.readonly}, %choice: !choice {transform.readonly}) {
    transform.annotate %op "lh.choice" = %choice : !op, !choice
    transform.yield
  }

  transform.named_sequence @keep(%op: !op {transform.readonly}) {
    transform.yield
  }

  transform.named_sequence @is_chosen(%op: !op {transform.readonly}) -> !op {
    %any = transform.lh.match.choice %op [] : (!op) -> !choice
    transform.yield %op : !op
  }

  // No product. Most ops of a net are none, and need not be asked by each rule.
  transform.named_sequence @sums_nothing(%op: !op {transform.readonly}) -> !op {
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[all] {parallel} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // All that a kernel computes, where the path names one.
  transform.named_sequence @kernel(%op: !op {transform.readonly}) -> (!op, !choice) {
    transform.include @can_kernel failures(propagate) (%op) : (!op) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "kernel", "rule" = "micro_kernels", "kernel" = "name">
        {lh.bind = {value = {kernel = "kernel.name"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @kernel_alone(%op: !op {transform.readonly}) -> !op {
    %here = transform.param.constant false {lh.bind = {value = "kernel_alone"}} -> !flag
    %yes = transform.param.constant true -> !flag
    transform.match.param.cmpi eq %here, %yes : !flag
    transform.yield %op : !op
  }

  // So few rows that reading eight times as many bytes takes longer than unpacking
  // them for each row.
  transform.named_sequence @rows_of_bits(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mnkkk"]
        {types = [f32], at_least = array<i64: -1, 1, 1, 1>, at_most = array<i64: -1, 4, -1, -1>,
         multiple_of = array<i64: -1, -1, 32, -1>,
         lh.bind = {at_least = [-1, 1, "columns_of_bits", 1],
                    at_most = [-1, "bit_rows", -1, -1],
                    multiple_of = [-1, -1, "panel", -1]}} : !op
    transform.include @widens_bytes failures(propagate) (%op) : (!op) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "unpack", "rule" = "rows_of_bits", "columns" = 32>
        {lh.bind = {value = {columns = "panel"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Bytes, widened to the 32 bits of their sums, or dequantised.
  transform.named_sequence @bytes(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [i32, f32], at_least = array<i64: -1, -1, 8, 1>,
         lh.bind = {at_least = [-1, -1, "columns_of_bytes", 1]}} : !op
    %bits = transform.param.constant 8 : i64 -> !size
    transform.include @widens failures(propagate) (%op, %bits) : (!op, !size) -> ()
    %c = transform.param.constant #dlti.map<"strategy" = "words", "rule" = "bytes"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @bytes_in_windows(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mmmnkkk"]
        {windows, types = [i32, f32], at_least = array<i64: -1, 1, 8, 1>,
         lh.bind = {at_least = [-1, 1, "columns_of_bytes", 1]}} : !op
    %bits = transform.param.constant 8 : i64 -> !size
    transform.include @widens failures(propagate) (%op, %bits) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "words", "rule" = "bytes_in_windows"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // bf16, widened to the f32 of their sums.
  transform.named_sequence @halves(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32], at_least = array<i64: -1, -1, 8, 1>,
         lh.bind = {at_least = [-1, -1, "columns_of_halves", 1]}} : !op
    %bits = transform.param.constant 16 : i64 -> !size
    transform.include @widens failures(propagate) (%op, %bits) : (!op, !size) -> ()
    %c = transform.param.constant #dlti.map<"strategy" = "words", "rule" = "halves"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Whatever the filters.
  transform.named_sequence @large_3x3(%op: !op {transform.readonly}) -> (!op, !choice) {
    %least = transform.param.constant 8 : i64 {lh.bind = {value = "pixels"}} -> !size
    transform.include @is_3x3 failures(propagate) (%op, %least) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "winograd", "rule" = "large_3x3"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // A tile at least, and its transformed filters stay in a cache.
  transform.named_sequence @cached_3x3(%op: !op {transform.readonly}) -> (!op, !choice) {
    %least = transform.param.constant 4 : i64 -> !size
    transform.include @is_3x3 failures(propagate) (%op, %least) : (!op, !size) -> ()
    %sizes:4 = transform.lh.match.product %op loops ["mmmnkkk"]
        {windows, right_bytes = 0 : i64, lh.bind = {right_bytes = "filter_bytes"}} : !op
    %c = transform.param.constant
        #dlti.map<"strategy" = "winograd", "rule" = "cached_3x3"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Groups whose filters would leave a panel mostly padding.
  transform.named_sequence @few_filters(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mmmbnkkk"]
        {windows, types = [f32, f64], at_least = array<i64: 1, 1, 1, 1>,
         at_most = array<i64: -1, -1, 8, 32>,
         lh.bind = {at_most = [-1, -1, "lane_filters", "lane_channels"]}} : !op
    %c = transform.param.constant
        #dlti.map<"strategy" = "lanes", "rule" = "few_filters"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Any other convolution, of groups as well; of numbers or of words.
  transform.named_sequence @windows(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mmmnkkk", "mmmbnkkk"]
        {windows, any_body, at_least = array<i64: 1, 1, 1, 1>,
         lh.bind = {at_least = [1, 1, "filters", 1]}} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "gather", "rule" = "windows"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Each number of B takes part in few products, and B would be packed each time.
  transform.named_sequence @few_rows(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {operands = "mk,kn->mn", types = [f32, f64], right_varies,
         at_least = array<i64: -1, -1, 64, 16>, at_most = array<i64: -1, 4, -1, -1>,
         lh.bind = {at_least = [-1, -1, "thin_columns", "thin_sum"],
                    at_most = [-1, "thin_rows", -1, -1]}} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "thin", "rule" = "few_rows"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // A panel would be mostly padding.
  transform.named_sequence @few_columns(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {any_body, at_least = array<i64: -1, 1, 1, 16>, at_most = array<i64: -1, -1, 7, -1>,
         lh.bind = {at_least = [-1, 1, 1, "dot_sum"], at_most = [-1, -1, "few_columns", -1]}}
        : !op
    %single = transform.param.constant 32 : i64 -> !size
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.body %s {contraction = ["arith.mulf", "arith.addf"]} : !op
      %sum = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %sum
          : (!transform.any_value) -> !size
      transform.match.param.cmpi ge %bits, %single : !size
      transform.match.structured.yield
    }
    %c = transform.param.constant #dlti.map<"strategy" = "dot", "rule" = "few_columns"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Fewer rows or columns would leave a panel mostly padding.
  transform.named_sequence @outer(%op: !op {transform.readonly}) -> (!op, !choice) {
    %here = transform.param.constant false {lh.bind = {value = "outer_products"}} -> !flag
    %yes = transform.param.constant true -> !flag
    transform.match.param.cmpi eq %here, %yes : !flag
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32, f64], unknown_is_large, at_least = array<i64: -1, 8, 8, -1>,
         lh.bind = {at_least = [-1, "fewest_columns", "fewest_columns", -1]}} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "outer", "rule" = "outer"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Products of words where the CPU multiplies tiles of them. A block of B, of all
  // its words, is half of the second-level cache at most, so the longer the sums,
  // the fewer its columns.
  transform.named_sequence @shortest_words(%op: !op {transform.readonly}) -> (!op, !choice) {
    %most = transform.param.constant 256 : i64 {lh.bind = {value = "words_1024"}} -> !size
    transform.include @words_in_tiles failures(propagate) (%op, %most) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "amx", "rule" = "words_in_tiles", "rows" = 32, "block" = 1024>
        {lh.bind = {value = {rows = "word_rows"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @short_words(%op: !op {transform.readonly}) -> (!op, !choice) {
    %most = transform.param.constant 512 : i64 {lh.bind = {value = "words_512"}} -> !size
    transform.include @words_in_tiles failures(propagate) (%op, %most) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "amx", "rule" = "words_in_tiles", "rows" = 32, "block" = 512>
        {lh.bind = {value = {rows = "word_rows"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @long_words(%op: !op {transform.readonly}) -> (!op, !choice) {
    %most = transform.param.constant 1024 : i64 {lh.bind = {value = "words_256"}} -> !size
    transform.include @words_in_tiles failures(propagate) (%op, %most) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "amx", "rule" = "words_in_tiles", "rows" = 32, "block" = 256>
        {lh.bind = {value = {rows = "word_rows"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @longest_words(%op: !op {transform.readonly}) -> (!op, !choice) {
    %any = transform.param.constant 9223372036854775807 : i64 -> !size
    transform.include @words_in_tiles failures(propagate) (%op, %any) : (!op, !size) -> ()
    %c = transform.param.constant
        #dlti.map<"strategy" = "amx", "rule" = "words_in_tiles", "rows" = 32, "block" = 128>
        {lh.bind = {value = {rows = "word_rows"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // The rules below are for panels, and those don't come next.
  transform.named_sequence @packs_later(%op: !op {transform.readonly}) -> !op {
    %here = transform.param.constant true {lh.bind = {value = "panels"}} -> !flag
    %no = transform.param.constant false -> !flag
    transform.match.param.cmpi eq %here, %no : !flag
    transform.yield %op : !op
  }

  // Products of words are tiled as those of numbers of 32 bits.
  transform.named_sequence @words(%op: !op {transform.readonly}) -> (!op, !choice) {
    transform.include @is_of_words failures(propagate) (%op) : (!op) -> ()
    %sizes:4 = transform.lh.match.product %op loops #matrices {any_body} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "tile", "rule" = "words"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Packed in each call for few rows: a panel at a time, while that is in the first
  // cache.
  transform.named_sequence @few_rows_of_varying(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {types = [f32], right_varies, at_least = array<i64: -1, 1, 8, -1>,
         at_most = array<i64: -1, 64, -1, -1>,
         lh.bind = {at_least = [-1, 1, "fewest_columns", -1],
                    at_most = [-1, "packed_rows", -1, -1]}} : !op
    %c = transform.param.constant
        #dlti.map<"strategy" = "tile", "rule" = "few_rows_of_varying", "block" = 32>
        {lh.bind = {value = {block = "columns"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // As @many_columns below; what it multiplies is packed anew for each call.
  transform.named_sequence @varying(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32, f64, i32, i64], unknown_is_large, right_varies,
         at_least = array<i64: -1, -1, 8, -1>,
         lh.bind = {at_least = [-1, -1, "fewest_columns", -1]}} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "tile", "rule" = "many_columns"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // The last panel of one, two or three would be at most half full: panels of half
  // the columns.
  transform.named_sequence @one_half(%op: !op {transform.readonly}) -> (!op, !choice) {
    %least = transform.param.constant 1 : i64 -> !size
    %most = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    %c = transform.include @in_half_panels failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @three_halves(%op: !op {transform.readonly}) -> (!op, !choice) {
    %least = transform.param.constant 33 : i64 {lh.bind = {value = "above_two"}} -> !size
    %most = transform.param.constant 48 : i64 {lh.bind = {value = "three_halves"}} -> !size
    %c = transform.include @in_half_panels failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @five_halves(%op: !op {transform.readonly}) -> (!op, !choice) {
    %least = transform.param.constant 65 : i64 {lh.bind = {value = "above_four"}} -> !size
    %most = transform.param.constant 80 : i64 {lh.bind = {value = "five_halves"}} -> !size
    %c = transform.include @in_half_panels failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // Rows that would leave a tile of few, for which all of a large B is read again:
  // higher tiles.
  transform.named_sequence @even_rows(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32], at_least = array<i64: -1, 37, 512, -1>,
         at_most = array<i64: -1, 52, -1, -1>,
         lh.bind = {at_least = [-1, "least_even", "even_columns", -1],
                    at_most = [-1, "most_even", -1, -1]}} : !op
    %c = transform.param.constant
        #dlti.map<"strategy" = "tile", "rule" = "even_rows", "rows" = 13>
        {lh.bind = {value = {rows = "even_rows"}}} -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // C[m, n] += A[m, k] * B[k, n], for each element of a batch or with a matrix that
  // all elements share: B's, or A's as im2col gives it.
  transform.named_sequence @many_columns(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32, f64, i32, i64], unknown_is_large,
         at_least = array<i64: -1, -1, 8, -1>,
         lh.bind = {at_least = [-1, -1, "fewest_columns", -1]}} : !op
    %c = transform.param.constant #dlti.map<"strategy" = "tile", "rule" = "many_columns"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  transform.named_sequence @any_product(%op: !op {transform.readonly}) -> (!op, !choice) {
    %sizes:4 = transform.lh.match.product %op loops #matrices : !op
    %c = transform.param.constant #dlti.map<"strategy" = "plain", "rule" = "any_product"> -> !choice
    transform.yield %op, %c : !op, !choice
  }

  // What the rules share.
  // Of so many words along the sum at most.
  transform.named_sequence @words_in_tiles(
      %op: !op {transform.readonly}, %most: !size {transform.readonly}) {
    %here = transform.param.constant false {lh.bind = {value = "word_tiles"}} -> !flag
    %yes = transform.param.constant true -> !flag
    transform.match.param.cmpi eq %here, %yes : !flag
    transform.include @is_of_words failures(propagate) (%op) : (!op) -> ()
    %b, %m, %n, %words = transform.lh.match.product %op loops #matrices {any_body} : !op
    transform.match.param.cmpi le %words, %most : !size
    transform.yield
  }

  // For so many columns. What is packed in each call is packed and used a panel at
  // a time, while that is in the first cache.
  transform.named_sequence @in_half_panels(%op: !op {transform.readonly},
      %least: !size {transform.readonly}, %most: !size {transform.readonly}) -> !choice {
    %b, %m, %columns, %k = transform.lh.match.product %op loops #matrices
        {types = [f32], at_least = array<i64: -1, 2, 8, -1>,
         lh.bind = {at_least = [-1, 2, "fewest_columns", -1]}} : !op
    transform.match.param.cmpi ge %columns, %least : !size
    transform.match.param.cmpi le %columns, %most : !size
    %varying = transform.collect_matching @varies in %op : (!op) -> !op
    %c = transform.lh.if %varying : !op -> !choice {
      transform.include @is_no_batch failures(propagate) (%op) : (!op) -> ()
      %panel = transform.param.constant
          #dlti.map<"strategy" = "tile", "rule" = "half_panels", "columns" = 16, "block" = 16>
          {lh.bind = {value = {columns = "half", block = "half"}}} -> !choice
      transform.yield %panel : !choice
    } else {
      %panels = transform.param.constant
          #dlti.map<"strategy" = "tile", "rule" = "half_panels", "columns" = 16>
          {lh.bind = {value = {columns = "half"}}} -> !choice
      transform.yield %panels : !choice
    }
    transform.yield %c : !choice
  }

  transform.named_sequence @varies(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops #matrices {any_body, right_varies} : !op
    transform.yield %op : !op
  }

  // No batch of them.
  transform.named_sequence @is_no_batch(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"] {any_body} : !op
    transform.yield
  }

  transform.named_sequence @is_of_words(%op: !op {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    %marked = transform.structured.match attributes{lh.product} in %op : (!op) -> !op
    %count = transform.num_associations %marked : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // Both factors come from ops on numbers of so many bits.
  transform.named_sequence @widens(
      %op: !op {transform.readonly}, %bits: !size {transform.readonly}) {
    %left = transform.get_producer_of_operand %op[0] : (!op) -> !op
    transform.include @reads failures(propagate) (%left, %bits) : (!op, !size) -> ()
    %right = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.include @reads failures(propagate) (%right, %bits) : (!op, !size) -> ()
    transform.yield
  }

  // The right-hand factor comes from an op on bytes.
  transform.named_sequence @widens_bytes(%op: !op {transform.readonly}) {
    %bits = transform.param.constant 8 : i64 -> !size
    %right = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.include @reads failures(propagate) (%right, %bits) : (!op, !size) -> ()
    transform.yield
  }

  // Behind three pads and reshapes at most, which dequantised images have.
  transform.named_sequence @reads(
      %op: !op {transform.readonly}, %bits: !size {transform.readonly}) {
    %first = transform.include @behind_view failures(propagate) (%op) : (!op) -> !op
    %second = transform.include @behind_view failures(propagate) (%first) : (!op) -> !op
    %source = transform.include @behind_view failures(propagate) (%second) : (!op) -> !op
    transform.match.structured failures(propagate) %source : !op {
    ^bb0(%s: !op):
      %input = transform.match.structured.input %s[0] : (!op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %input
          : (!transform.any_value) -> !size
      transform.match.param.cmpi eq %width, %bits : !size
      transform.match.structured.yield
    }
    transform.yield
  }

  // What a view is of; the op itself where it is none. No view is in one of these.
  transform.named_sequence @behind_view(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic", "tensor.pad",
        "tensor.collapse_shape", "tensor.expand_shape"] : !op
    %view = transform.structured.match ops{["tensor.pad", "tensor.collapse_shape",
        "tensor.expand_shape"]} in %op : (!op) -> !op
    %behind = transform.lh.if %view : !op -> !op {
      %source = transform.get_producer_of_operand %view[0] : (!op) -> !op
      transform.yield %source : !op
    } else {
      transform.yield %op : !op
    }
    transform.yield %behind : !op
  }

  // Windows of 3 x 3 side by side, for at least so many rows and columns.
  transform.named_sequence @is_3x3(
      %op: !op {transform.readonly}, %least: !size {transform.readonly}) {
    %groups, %image, %filters, %sum = transform.lh.match.product %op loops ["mmmnkkk"]
        {windows, types = [f32], at_least = array<i64: -1, -1, 8, 8>,
         lh.bind = {at_least = [-1, -1, "channels", "channels"]}} : !op
    %one = transform.param.constant 1 : i64 -> !size
    %three = transform.param.constant 3 : i64 -> !size
    %any = transform.param.constant 9223372036854775807 : i64 -> !size
    %smallest = transform.merge_handles %one, %least, %least : !size
    transform.match.param.cmpi ge %image, %smallest : !size
    %narrowest = transform.merge_handles %three, %three, %one : !size
    transform.match.param.cmpi ge %sum, %narrowest : !size
    %widest = transform.merge_handles %three, %three, %any : !size
    transform.match.param.cmpi le %sum, %widest : !size
    %ones = transform.merge_handles %one, %one : !size
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %dims:6, %strides, %dilations =
          transform.match.structured.classify_convolution_dims %s
          : (!op) -> (!size, !size, !size, !size, !size, !size, !size, !size)
      transform.match.param.cmpi eq %strides, %ones : !size
      transform.match.param.cmpi eq %dilations, %ones : !size
      transform.match.structured.yield
    }
    transform.yield
  }
}
