-- AlterEnum
ALTER TYPE "token_scope" ADD VALUE 'export';

-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "organization_id" UUID;

-- CreateIndex
CREATE INDEX "api_tokens_organization_id_idx" ON "api_tokens"("organization_id");

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A token is limited to an event or to an organization, not to both.
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_one_place" CHECK (event_id IS NULL OR organization_id IS NULL);
