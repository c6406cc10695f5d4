/**
 * State that exists once per process. A variable of a module may exist several times: Next's bundles can contain a
 * module more than once, and the start command loads the file itself.
 */

const VALUES = Symbol.for("heed.processWide");

const values = ((globalThis as { [VALUES]?: Map<string, object> })[VALUES] ??= new Map());

/**
 * Returns the object that this process has under `name`; the first call makes it. Each name belongs to one place in the
 * code (process-wide.test.ts), so that its type is always the same.
 */
export function processWide<Value extends object>(name: string, make: () => Value): Value {
  const present = values.get(name) as Value | undefined;
  if (present) return present;
  const made = make();
  values.set(name, made);
  return made;
}
