import type { Metadata } from "next";
import { ForbiddenMessage } from "#components/shell/messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";

export const metadata: Metadata = { title: "Not open to your account" };

export default function Forbidden() {
  return (
    <NarrowFrame width="reading">
      <ForbiddenMessage />
    </NarrowFrame>
  );
}
