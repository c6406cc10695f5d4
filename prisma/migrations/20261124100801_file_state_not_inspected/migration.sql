-- AlterEnum
ALTER TYPE "clean_state" ADD VALUE 'not_inspected';
