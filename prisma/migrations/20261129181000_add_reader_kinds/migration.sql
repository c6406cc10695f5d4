-- AlterEnum: in a migration of its own, since new values can't be used in the transaction that adds them.
ALTER TYPE "reader_access" ADD VALUE 'ask' BEFORE 'full';
ALTER TYPE "reader_source" ADD VALUE 'answer' BEFORE 'emergency';
