import type { Metadata } from "next";
import { ForbiddenMessage } from "#components/shell/messages.tsx";

export const metadata: Metadata = { title: "Not open to your account" };

export default function Forbidden() {
  return <ForbiddenMessage />;
}
