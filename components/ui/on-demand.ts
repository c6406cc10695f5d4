import { useEffect, useState } from "react";

/**
 * Loads code that only some people need, or only later, so that a page's first script stays small.
 * @param load imports it; stays the same function
 * @param isNeeded whether it is needed by now
 * @param attempt tries again when it changes, where it couldn't be loaded before
 * @returns undefined until it is loaded, so that what depends on it is left out on a bad network
 */
export function useOnDemand<Module extends object>(
  load: () => Promise<Module>,
  isNeeded: boolean,
  attempt?: unknown,
): Module | undefined {
  const [loaded, setLoaded] = useState<Module>();
  const isMissing = isNeeded && !loaded;
  useEffect(() => {
    if (isMissing) load().then(setLoaded, () => undefined);
  }, [load, isMissing, attempt]);
  return loaded;
}
