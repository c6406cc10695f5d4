import { useEffect, useEffectEvent } from "react";

/** Commands of the present page, which the quick jump offers. */

export type RunnableJumpCommand = {
  label: string;
  /** The object of the command, such as the title of the incident. */
  about: string;
  run: () => void;
};

const providers = new Set<() => readonly RunnableJumpCommand[]>();

/** Offers commands in the quick jump while the component is mounted; they are listed when it opens. */
export function useRegisterJumpCommands(listCommands: () => readonly RunnableJumpCommand[]): void {
  const list = useEffectEvent(listCommands);
  useEffect(() => {
    const provider = () => list();
    providers.add(provider);
    return () => void providers.delete(provider);
  }, []);
}

export const listJumpCommands = (): readonly RunnableJumpCommand[] =>
  [...providers].flatMap((provider) => provider());
