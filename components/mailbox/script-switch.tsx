"use client";

import type { ReactNode } from "react";
import { useHydrated } from "#components/ui/use-hydrated.ts";

type Props = { withScript: ReactNode; withoutScript: ReactNode };

/**
 * A form of its own with script, where sending it leaves the rest of the page alone. Without script, its place is taken
 * by a button of the form whose text it would lose.
 */
export const ScriptOrFallback = ({ withScript, withoutScript }: Props): ReactNode =>
  useHydrated() ? withScript : withoutScript;
