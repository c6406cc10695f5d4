"use client";

import { useEffect, useRef } from "react";
import { useFormContext } from "#components/ui/form-context.ts";

/**
 * Solves a challenge of the service while the person enters their words, so that the look-up doesn't wait in line.
 * Without script, or where the browser can't hash, the fields stay empty and the look-up takes its turn.
 */
export function ProofOfWorkFields() {
  const { state, pending } = useFormContext();
  const challenge = useRef<HTMLInputElement>(null);
  const solution = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (pending) return;
    const ended = new AbortController();
    void solveChallenge(ended.signal).then((proof) => {
      if (!proof || !challenge.current || !solution.current) return;
      challenge.current.value = proof.challenge;
      solution.current.value = proof.solution;
    });
    return () => ended.abort();
    // Each proof can be used once, so each response starts another.
  }, [state, pending]);
  return (
    <>
      <input ref={challenge} type="hidden" name="challenge" />
      <input ref={solution} type="hidden" name="solution" />
    </>
  );
}

/**
 * How long to hash before a pause, in ms. Browsers hash short texts without a pause between them, so pressed keys would
 * otherwise wait for the solution.
 */
const SLICE_MS = 12;

type Proof = { challenge: string; solution: string };

/** Null when there is no challenge, or no way to solve it here. */
async function solveChallenge(ended: AbortSignal): Promise<Proof | null> {
  try {
    const response = await fetch("/api/mailbox/challenge", { signal: ended });
    const { challenge, bits } = (await response.json()) as { challenge: string; bits: number };
    let pausedAt = performance.now();
    for (let attempt = 0; !ended.aborted; attempt += 1) {
      if ((await countZeroBits(`${challenge}${attempt}`)) >= bits)
        return { challenge, solution: String(attempt) };
      if (performance.now() - pausedAt < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      pausedAt = performance.now();
    }
  } catch {
    // The look-up waits its turn instead.
  }
  return null;
}

async function countZeroBits(text: string): Promise<number> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Math.clz32(new DataView(digest).getUint32(0));
}
