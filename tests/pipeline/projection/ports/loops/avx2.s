dot:
.LFB984:
	testq	%rdi, %rdi
	jle	.L9
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L10
	movq	%rdi, %rcx
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	shrq	$2, %rcx
	salq	$5, %rcx
.L4:
	vmovupd	(%rsi,%rax), %ymm4
	vfmadd231pd	(%rdx,%rax), %ymm4, %ymm1
	addq	$32, %rax
	cmpq	%rax, %rcx
	jne	.L4
	vextractf128	$0x1, %ymm1, %xmm3
	movq	%rdi, %rax
	vaddpd	%xmm1, %xmm3, %xmm2
	andq	$-4, %rax
	movq	%rax, %rcx
	vunpckhpd	%xmm2, %xmm2, %xmm0
	vaddpd	%xmm2, %xmm0, %xmm0
	cmpq	%rax, %rdi
	je	.L18
	vaddpd	%xmm3, %xmm1, %xmm1
	vzeroupper
.L3:
	subq	%rcx, %rdi
	cmpq	$1, %rdi
	je	.L7
	vmovupd	(%rsi,%rcx,8), %xmm6
	vfmadd231pd	(%rdx,%rcx,8), %xmm6, %xmm1
	vunpckhpd	%xmm1, %xmm1, %xmm0
	vaddpd	%xmm1, %xmm0, %xmm0
	testb	$1, %dil
	je	.L1
	andq	$-2, %rdi
	addq	%rdi, %rax
.L7:
	vmovsd	(%rsi,%rax,8), %xmm5
	vfmadd231sd	(%rdx,%rax,8), %xmm5, %xmm0
	ret
.L18:
	vzeroupper
.L1:
	ret
.L9:
	vxorpd	%xmm0, %xmm0, %xmm0
	ret
.L10:
	vxorpd	%xmm1, %xmm1, %xmm1
	xorl	%ecx, %ecx
	vxorpd	%xmm0, %xmm0, %xmm0
	xorl	%eax, %eax
	jmp	.L3
.LFE984:
daxpy:
.LFB985:
	movq	%rsi, %rcx
	testq	%rdi, %rdi
	jle	.L36
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L27
	movq	%rdi, %rsi
	vbroadcastsd	%xmm0, %ymm2
	xorl	%eax, %eax
	shrq	$2, %rsi
	salq	$5, %rsi
.L23:
	vmovupd	(%rcx,%rax), %ymm1
	vfmadd213pd	(%rdx,%rax), %ymm2, %ymm1
	vmovupd	%ymm1, (%rdx,%rax)
	addq	$32, %rax
	cmpq	%rax, %rsi
	jne	.L23
	movq	%rdi, %rsi
	andq	$-4, %rsi
	movq	%rsi, %rax
	cmpq	%rsi, %rdi
	je	.L37
	vzeroupper
.L22:
	subq	%rax, %rdi
	cmpq	$1, %rdi
	je	.L25
	leaq	(%rdx,%rax,8), %r8
	vmovddup	%xmm0, %xmm1
	vmovupd	(%r8), %xmm4
	vfmadd132pd	(%rcx,%rax,8), %xmm4, %xmm1
	vmovupd	%xmm1, (%r8)
	testb	$1, %dil
	je	.L36
	andq	$-2, %rdi
	addq	%rdi, %rsi
.L25:
	leaq	(%rdx,%rsi,8), %rax
	vmovsd	(%rax), %xmm3
	vfmadd132sd	(%rcx,%rsi,8), %xmm3, %xmm0
	vmovsd	%xmm0, (%rax)
.L36:
	ret
.L37:
	vzeroupper
	ret
.L27:
	xorl	%eax, %eax
	xorl	%esi, %esi
	jmp	.L22
.LFE985:
division:
.LFB988:
	movq	%rdi, %r9
	movq	%rsi, %r8
	testq	%rdi, %rdi
	jle	.L93
	leaq	-1(%rdi), %rax
	cmpq	$2, %rax
	jbe	.L84
	shrq	$2, %rdi
	xorl	%eax, %eax
	salq	$5, %rdi
.L80:
	vmovupd	(%r8,%rax), %ymm1
	vdivpd	(%rdx,%rax), %ymm1, %ymm0
	vmovupd	%ymm0, (%rcx,%rax)
	addq	$32, %rax
	cmpq	%rdi, %rax
	jne	.L80
	movq	%r9, %rax
	andq	$-4, %rax
	movq	%rax, %rdi
	cmpq	%rax, %r9
	je	.L94
	vzeroupper
.L79:
	movq	%r9, %rsi
	subq	%rdi, %rsi
	cmpq	$1, %rsi
	je	.L82
	vmovupd	(%r8,%rdi,8), %xmm2
	vdivpd	(%rdx,%rdi,8), %xmm2, %xmm0
	vmovupd	%xmm0, (%rcx,%rdi,8)
	testb	$1, %sil
	je	.L93
	andq	$-2, %rsi
	addq	%rsi, %rax
.L82:
	vmovsd	(%r8,%rax,8), %xmm0
	vdivsd	(%rdx,%rax,8), %xmm0, %xmm0
	vmovsd	%xmm0, (%rcx,%rax,8)
.L93:
	ret
.L94:
	vzeroupper
	ret
.L84:
	xorl	%edi, %edi
	xorl	%eax, %eax
	jmp	.L79
.LFE988:
