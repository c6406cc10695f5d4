const COLLATOR = new Intl.Collator("en");

/** Compares what has a name in the order of the database's collation title_order, with Ä beside A. */
export const compareNames = (one: { name: string }, other: { name: string }): number =>
  COLLATOR.compare(one.name, other.name);
