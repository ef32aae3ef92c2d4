daxpy:
.LFB985:
	movq	%rdi, %rcx
	testq	%rdi, %rdi
	jle	.L34
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L26
	shrq	$3, %rdi
	vbroadcastsd	%xmm0, %zmm2
	xorl	%eax, %eax
	salq	$6, %rdi
.L22:
	vmovupd	(%rsi,%rax), %zmm1
	vfmadd213pd	(%rdx,%rax), %zmm2, %zmm1
	vmovupd	%zmm1, (%rdx,%rax)
	addq	$64, %rax
	cmpq	%rax, %rdi
	jne	.L22
	movq	%rcx, %rax
	andq	$-8, %rax
	movq	%rax, %rdi
	cmpq	%rax, %rcx
	je	.L33
.L21:
	movq	%rcx, %r8
	subq	%rdi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L24
	leaq	(%rdx,%rdi,8), %r9
	vbroadcastsd	%xmm0, %ymm1
	vmovupd	(%r9), %ymm3
	vfmadd132pd	(%rsi,%rdi,8), %ymm3, %ymm1
	movq	%r8, %rdi
	andq	$-4, %rdi
	addq	%rdi, %rax
	andl	$3, %r8d
	vmovupd	%ymm1, (%r9)
	je	.L33
.L24:
	leaq	0(,%rax,8), %rdi
	vmovsd	(%rsi,%rax,8), %xmm1
	leaq	(%rdx,%rdi), %r8
	vfmadd213sd	(%r8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r8)
	leaq	1(%rax), %r8
	cmpq	%r8, %rcx
	jle	.L33
	leaq	8(%rdx,%rdi), %r8
	vmovsd	8(%rsi,%rdi), %xmm1
	addq	$2, %rax
	vfmadd213sd	(%r8), %xmm0, %xmm1
	vmovsd	%xmm1, (%r8)
	cmpq	%rax, %rcx
	jle	.L33
	leaq	16(%rdx,%rdi), %rax
	vmovsd	(%rax), %xmm4
	vfmadd132sd	16(%rsi,%rdi), %xmm4, %xmm0
	vmovsd	%xmm0, (%rax)
	vzeroupper
	ret
.L33:
	vzeroupper
.L34:
	ret
.L26:
	xorl	%edi, %edi
	xorl	%eax, %eax
	jmp	.L21
.LFE985:
polynomial:
.LFB993:
	movq	%rsi, %rcx
	testq	%rdi, %rdi
	jle	.L172
	leaq	-1(%rdi), %rax
	cmpq	$6, %rax
	jbe	.L164
	vbroadcastsd	.LC32(%rip), %zmm9
	movq	%rdi, %rsi
	xorl	%eax, %eax
	vbroadcastsd	.LC34(%rip), %zmm8
	vbroadcastsd	.LC36(%rip), %zmm7
	shrq	$3, %rsi
	vbroadcastsd	.LC38(%rip), %zmm6
	vbroadcastsd	.LC40(%rip), %zmm5
	salq	$6, %rsi
	vbroadcastsd	.LC42(%rip), %zmm4
	vbroadcastsd	.LC4(%rip), %zmm3
	vbroadcastsd	.LC9(%rip), %zmm2
.L160:
	vmovupd	(%rcx,%rax), %zmm1
	vmovapd	%zmm1, %zmm0
	vfmadd132pd	%zmm9, %zmm8, %zmm0
	vfmadd132pd	%zmm1, %zmm7, %zmm0
	vfmadd132pd	%zmm1, %zmm6, %zmm0
	vfmadd132pd	%zmm1, %zmm5, %zmm0
	vfmadd132pd	%zmm1, %zmm4, %zmm0
	vfmadd132pd	%zmm1, %zmm3, %zmm0
	vfmadd132pd	%zmm1, %zmm2, %zmm0
	vfmadd132pd	%zmm0, %zmm2, %zmm1
	vmovupd	%zmm1, (%rdx,%rax)
	addq	$64, %rax
	cmpq	%rax, %rsi
	jne	.L160
	movq	%rdi, %rax
	andq	$-8, %rax
	movq	%rax, %rsi
	cmpq	%rdi, %rax
	je	.L171
.L159:
	movq	%rdi, %r8
	subq	%rsi, %r8
	leaq	-1(%r8), %r9
	cmpq	$2, %r9
	jbe	.L162
	vmovupd	(%rcx,%rsi,8), %ymm1
	vbroadcastsd	.LC32(%rip), %ymm0
	vbroadcastsd	.LC9(%rip), %ymm2
	vfmadd213pd	.LC34(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC36(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC38(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC40(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC42(%rip){1to4}, %ymm1, %ymm0
	vfmadd213pd	.LC4(%rip){1to4}, %ymm1, %ymm0
	vfmadd132pd	%ymm1, %ymm2, %ymm0
	vfmadd132pd	%ymm0, %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rsi,8)
	movq	%r8, %rsi
	andq	$-4, %rsi
	addq	%rsi, %rax
	andl	$3, %r8d
	je	.L171
.L162:
	vmovsd	(%rcx,%rax,8), %xmm2
	leaq	1(%rax), %r8
	vmovsd	.LC32(%rip), %xmm0
	leaq	0(,%rax,8), %rsi
	vmovsd	.LC34(%rip), %xmm9
	vmovsd	.LC36(%rip), %xmm8
	vmovsd	.LC38(%rip), %xmm7
	vmovsd	%xmm2, %xmm2, %xmm1
	vmovsd	.LC40(%rip), %xmm6
	vmovsd	.LC42(%rip), %xmm5
	vfmadd132sd	%xmm0, %xmm9, %xmm1
	vmovsd	.LC4(%rip), %xmm4
	vmovsd	.LC9(%rip), %xmm3
	vfmadd132sd	%xmm2, %xmm8, %xmm1
	vfmadd132sd	%xmm2, %xmm7, %xmm1
	vfmadd132sd	%xmm2, %xmm6, %xmm1
	vfmadd132sd	%xmm2, %xmm5, %xmm1
	vfmadd132sd	%xmm2, %xmm4, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vfmadd132sd	%xmm1, %xmm3, %xmm2
	vmovsd	%xmm2, (%rdx,%rsi)
	cmpq	%r8, %rdi
	jle	.L171
	vmovsd	8(%rcx,%rsi), %xmm2
	addq	$2, %rax
	vmovsd	%xmm2, %xmm2, %xmm1
	vfmadd132sd	%xmm0, %xmm9, %xmm1
	vfmadd132sd	%xmm2, %xmm8, %xmm1
	vfmadd132sd	%xmm2, %xmm7, %xmm1
	vfmadd132sd	%xmm2, %xmm6, %xmm1
	vfmadd132sd	%xmm2, %xmm5, %xmm1
	vfmadd132sd	%xmm2, %xmm4, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vfmadd132sd	%xmm2, %xmm3, %xmm1
	vmovsd	%xmm1, 8(%rdx,%rsi)
	cmpq	%rax, %rdi
	jle	.L171
	vmovsd	16(%rcx,%rsi), %xmm1
	vfmadd132sd	%xmm1, %xmm9, %xmm0
	vfmadd132sd	%xmm1, %xmm8, %xmm0
	vfmadd132sd	%xmm1, %xmm7, %xmm0
	vfmadd132sd	%xmm1, %xmm6, %xmm0
	vfmadd132sd	%xmm1, %xmm5, %xmm0
	vfmadd132sd	%xmm1, %xmm4, %xmm0
	vfmadd132sd	%xmm1, %xmm3, %xmm0
	vfmadd132sd	%xmm0, %xmm3, %xmm1
	vmovsd	%xmm1, 16(%rdx,%rsi)
	vzeroupper
	ret
.L171:
	vzeroupper
.L172:
	ret
.L164:
	xorl	%esi, %esi
	xorl	%eax, %eax
	jmp	.L159
.LFE993:
.LC2:
	.long	0
	.long	1070596096
.LC4:
	.long	0
	.long	1071644672
.LC9:
	.long	0
	.long	1072693248
.LC11:
	.long	-1717986918
	.long	1071225241
.LC13:
	.long	1717986918
	.long	1073112678
.LC14:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.quad	4
	.quad	5
	.quad	6
	.quad	7
	.set	.LC18,.LC14
.LC19:
	.quad	0
	.quad	2
	.quad	4
	.quad	6
	.quad	8
	.quad	10
	.quad	12
	.quad	14
.LC20:
	.quad	1
	.quad	3
	.quad	5
	.quad	7
	.quad	9
	.quad	11
	.quad	13
	.quad	15
	.set	.LC22,.LC30
.LC23:
	.quad	0
	.quad	8
	.quad	1
	.quad	9
	.quad	2
	.quad	10
	.quad	3
	.quad	11
.LC24:
	.quad	4
	.quad	12
	.quad	5
	.quad	13
	.quad	6
	.quad	14
	.quad	7
	.quad	15
	.set	.LC25,.LC19
	.set	.LC26,.LC20
.LC28:
	.quad	0
	.quad	4
	.quad	1
	.quad	5
.LC29:
	.quad	2
	.quad	6
	.quad	3
	.quad	7
.LC30:
	.long	0
	.long	-2147483648
	.long	0
	.long	0
.LC32:
	.long	436314138
	.long	1056571808
.LC34:
	.long	436314138
	.long	1059717536
.LC36:
	.long	381774871
	.long	1062650220
.LC38:
	.long	286331153
	.long	1065423121
.LC40:
	.long	1431655765
	.long	1067799893
.LC42:
	.long	1431655765
	.long	1069897045
