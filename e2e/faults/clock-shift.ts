import fs from "node:fs";

/**
 * Loaded before the service (`--import`): shifts JavaScript's clock by the milliseconds in a file, as when the system's
 * clock jumps. Timers count from the start of the machine, so neither a real jump nor this one affects them.
 */

const file = process.env.FAULT_CLOCK_SHIFT ?? "";
const Real = Date;
let shift = 0;
const read = () => {
  try {
    shift = Number(fs.readFileSync(file, "utf8")) || 0;
  } catch {
    shift = 0;
  }
};
read();
setInterval(read, 100).unref();

const now = () => Real.now() + shift;
globalThis.Date = new Proxy(Real, {
  construct: (target, given: unknown[], as) =>
    Reflect.construct(target, given.length > 0 ? given : [now()], as),
  apply: () => new Real(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
