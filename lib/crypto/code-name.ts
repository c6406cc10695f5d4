import { randomInt } from "node:crypto";

/**
 * Code names of incidents and people: two words that say nothing about whom they name, drawn at random. The words are
 * colors and materials, and plants, birds and stones: none that could be an insult, a verdict or a name.
 */

const FIRST_WORDS =
  "alder apricot ashen azure bamboo barley basalt beige birch bronze buff canvas carmine celadon ceramic chestnut cinnamon citrine cobalt copper corduroy cotton cream crimson cyan denim ecru elm emerald ember fawn flannel flax flint frosted garnet golden granite green hemp ivory khaki lapis larch lavender lemon lilac linen lunar magenta mahogany maple marble marine maroon mauve mellow mint moss mulberry mustard navy oaken ochre onyx orchid oxford paper peach pewter pine plaid platinum plum poplar quartz quilted rainy raspberry russet saffron sapphire satin sepia silver slate snowy solar spring spruce starry sterling striped tawny teal thistle topaz turquoise umber verdant vermilion walnut watery wicker willow winter woolen woven".split(
    " ",
  );

const SECOND_WORDS =
  "acorn agate anchor anemone arbor aspen avocet badger basin bay beacon beech bellflower bilberry birdsong bittern blossom bluebell bough bramble breeze bridge burrow buttercup canoe canyon cape caraway cardinal cascade cave chaffinch chamomile clover cloud cockle columbine comet compass cormorant cornflower cove crane creek crocus curlew cypress daffodil delta dew dolphin driftwood dune eddy egret eider elder estuary falcon feather fennel field finch fjord foothill fountain foxglove galaxy gannet garden gentian geyser glacier glade goldfinch gorge grebe grove gull harbor harvest hawthorn hedge heron hill hollow hollyhock horizon hyacinth ibis inlet island jackdaw juniper kestrel kettle kingfisher kite lagoon lake lantern lapwing leaf ledge lichen lighthouse lupin lynx mallow marsh meadow meteor mill minnow moraine mountain narcissus nebula nettle nightingale nuthatch oak oasis orchard oriole osprey otter owl pansy partridge path peak pebble peninsula peony petrel petunia pier pinnacle plateau plover pond prairie puffin quail quarry rapids redwood reef ridge river rook saddle sanderling sandpiper sequoia shore skylark snowdrop snowflake sparrow starling stone stork stream sunflower swallow swan swift sycamore tern thicket thrush thyme tide trail tulip tundra valley verbena village wagtail warbler waterfall wave waxwing whimbrel wisteria woodland yarrow yew zephyr zinnia".split(
    " ",
  );

type DrawInteger = (from: number, to: number) => number;

/**
 * Draws numbers to choose a free one from: most have four digits; the last ones have six and nine, since many of the first may
 * be taken where there are thousands.
 * @param draw returns an integer from `from` (inclusive) to `to` (exclusive)
 */
export const drawNumbers = (count: number, draw: DrawInteger = randomInt): number[] =>
  Array.from({ length: count }, (_, at) => {
    const [from, to] = at < count / 2 ? [1000, 10_000] : at < count - 4 ? [1e5, 1e6] : [1e8, 1e9];
    return draw(from, to);
  });

/**
 * Draws code names to choose a free one from, the likeliest first: most have two words ("birch-heron"); the last ones have
 * three, since many of the first may be taken where there are tens of thousands.
 * @param count how many; at least 2
 * @param draw as for `drawNumbers`
 */
export const drawCodeNames = (count: number, draw: DrawInteger = randomInt): string[] => {
  const pick = (words: readonly string[]): string => words[draw(0, words.length)] ?? "";
  return Array.from({ length: count }, (_, at) =>
    [pick(FIRST_WORDS), ...(at < count / 2 ? [] : [pick(FIRST_WORDS)]), pick(SECOND_WORDS)].join("-"),
  );
};
