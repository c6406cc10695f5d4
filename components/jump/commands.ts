import { useEffect, useEffectEvent } from "react";

/** Commands of the present page, which the quick jump offers. */

export type JumpCommand = {
  label: string;
  /** The object of the command, such as the title of the incident. */
  about: string;
  run: () => void;
};

const providers = new Set<() => readonly JumpCommand[]>();

/** Offers commands in the quick jump while the component is mounted; they are listed when it opens. */
export function useRegisterJumpCommands(listCommands: () => readonly JumpCommand[]): void {
  const list = useEffectEvent(listCommands);
  useEffect(() => {
    const provider = () => list();
    providers.add(provider);
    return () => void providers.delete(provider);
  }, []);
}

export const listJumpCommands = (): readonly JumpCommand[] =>
  [...providers].flatMap((provider) => provider());
